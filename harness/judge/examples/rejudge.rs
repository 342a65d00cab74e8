//! t
use std::io::BufRead;
fn main(){
  let scen: std::collections::BTreeMap<String, mcp_compat_scenario::Scenario> = mcp_compat_scenario::corpus::load().ok().expect("corpus").into_iter().map(|s|(s.id.to_string(),s)).collect();
  let j=mcp_compat_judge::Judge::new();
  let f=std::io::BufReader::new(std::fs::File::open(std::env::args().nth(1).unwrap()).unwrap());
  let mut ev=vec![];
  for l in f.lines(){ let l=l.unwrap(); let v: serde_json::Value=serde_json::from_str(&l).unwrap(); if let Some(_)=v.get("cell"){ 
     #[derive(serde::Deserialize)] struct L{cell: mcp_compat_model::record::Evidence}
     let e:L=serde_json::from_str(&l).unwrap(); ev.push(e.cell);} }
  let t0=std::time::Instant::now(); let mut n=0;
  let mut out=vec![];
  for e in &ev { let Some(s)=scen.get(e.cell.scenario.as_str()) else {continue}; n+=1; out.push((e.cell.id(), j.judge(s,&e.cell,&e.transcript,&e.observation))); }
  eprintln!("{n} cells in {:?}", t0.elapsed());
  for (id,v) in out { println!("{}", serde_json::json!({"id":id,"v":v})); }
}
