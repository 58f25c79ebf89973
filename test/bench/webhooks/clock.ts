/**
 * Milliseconds on a clock that all processes of a machine share, and that no correction of the time of day moves:
 * CLOCK_MONOTONIC on Linux.
 */
export const now = (): number => Number(process.hrtime.bigint()) / 1_000_000
