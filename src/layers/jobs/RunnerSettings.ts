import { countOrDefault } from "../Settings.ts"

/** Default and maximum of `JOB_RUNNERS`. */
export const DEFAULT_JOB_RUNNERS = 1
export const MAX_JOB_RUNNERS = 16

/** Number of jobs that the process runs at the same time. */
export const jobRunners = countOrDefault("JOB_RUNNERS", DEFAULT_JOB_RUNNERS, MAX_JOB_RUNNERS, "runs no jobs here")
