import { countOrDefault } from "../Settings.ts"

/** Default and maximum of `WEBHOOK_WORKERS`, the number of concurrent requests of one process. */
export const DEFAULT_WORKERS = 256
export const MAX_WORKERS = 10_000

/** Concurrent requests of the server. */
export const webhookWorkers = countOrDefault("WEBHOOK_WORKERS", DEFAULT_WORKERS, MAX_WORKERS, "delivers nothing here")
