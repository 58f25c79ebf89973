/** Milliseconds of a monotonic clock that all processes of the machine share (CLOCK_MONOTONIC on Linux). */
export const now = (): number => Number(process.hrtime.bigint()) / 1_000_000
