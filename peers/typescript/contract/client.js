/**
 * The client's loop: a job a line, each played in a thread of its own, an answer a line.
 *
 * An SDK may keep its thread busy for seconds, or for ever, with a schema or a value; in one thread for all jobs the
 * others would seem to hang as well. The threads that are free again take the next jobs.
 */

import { Unsupported, read } from "./exact.js";
import { job as jobOf } from "./job.js";
import { leave, lines, say, serveMany } from "./lines.js";
import { Player } from "./player.js";

/** @import { Job } from "./job.js" */
/** @import { Client } from "./play.js" */

/** Time for which an idle thread is kept: one takes some 30 MB, and a quarter of a second to start. */
const IDLE = 2000;

/**
 * Plays jobs until the input ends and every session is closed.
 *
 * @param {URL} module of a {@link Client}
 */
export async function serve(module) {
  serveMany();
  /** @type {Set<Player>} */
  const players = new Set();
  /** @type {{player: Player, leave: NodeJS.Timeout}[]} those that are free; the last one was needed last */
  const free = [];
  process.on("exit", () => players.forEach((player) => player.end()));

  /** @param {Job} job */
  async function play(job) {
    const rested = free.pop();
    clearTimeout(rested?.leave);
    const player = rested?.player ?? new Player(module);
    players.add(player);
    if (await player.play(job, say)) {
      free.push({ player, leave: setTimeout(() => dismiss(player), IDLE) });
    } else {
      players.delete(player);
    }
  }

  /** @param {Player} player */
  function dismiss(player) {
    free.splice(
      free.findIndex((one) => one.player === player),
      1,
    );
    players.delete(player);
    player.end();
  }

  /** @type {Set<Promise<void>>} */
  const playing = new Set();
  for await (const line of lines()) {
    try {
      const game = play(jobOf(read(line)));
      playing.add(game);
      game.then(() => playing.delete(game));
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      say({ id: JSON.parse(line).id, unsupported: error.message });
    }
  }
  await Promise.all(playing);
  leave();
}
