import { grouped } from "./Text.ts"

/** Issues that an answer lists: a body of a megabyte can hold 350,000 wrong values. */
export const MAX_ISSUES = 100

/** At most `max` of the lines; the last one counts the others, of which there are `count` in all. */
export const listed = (lines: ReadonlyArray<string>, count = lines.length, max = MAX_ISSUES): ReadonlyArray<string> =>
  count <= max ? lines : [...lines.slice(0, max - 1), `${grouped(count - max + 1)} more issues are not listed`]
