/** The SDK's client behind the peer contract. */

import { serve } from "../contract/client.js";

await serve(new URL("./session.js", import.meta.url));
