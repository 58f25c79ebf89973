import { formatInteger } from "./Text.ts"

/** Maximum number of issues in an answer. A body of 1 MB can contain 350,000 invalid values. */
export const MAX_ISSUES = 100

/** Truncates `lines` to `max`. The last line is then the number of the `count` issues that are not listed. */
export const truncateIssues = (
  lines: ReadonlyArray<string>,
  count = lines.length,
  max = MAX_ISSUES
): ReadonlyArray<string> =>
  count <= max ? lines : [...lines.slice(0, max - 1), `${formatInteger(count - max + 1)} more issues are not listed`]
