/** The writer of Zod types, with the Zod that the SDK depends on. */

import { z } from "zod";

import { shapeOf, typeOf, writeWith } from "../contract/zod.js";

writeWith(z);

export { shapeOf, typeOf };
