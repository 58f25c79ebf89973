import { Config, Layer } from "effect"
import { DEFAULT_LIMITS, MAX_JOURNAL_DAYS, OperatorLimits } from "../domain/OperatorLimits.ts"
import { numberOrDefault } from "./Settings.ts"

const { deliveryDays, endpointRequests, journalDays, sessionDays, signIn, storeConnectionPercent, storeQueue } =
  DEFAULT_LIMITS

/** All limits that operators may set (docs/configuration.md, Limits). */
export const limitSettings: Config.Config<OperatorLimits> = Config.all({
  storeConnectionPercent: numberOrDefault("STORE_CONNECTION_PERCENT", storeConnectionPercent, 1, 100),
  storeQueue: numberOrDefault("STORE_QUEUE", storeQueue, 1, 10_000),
  endpointRequests: numberOrDefault("WEBHOOK_ENDPOINT_REQUESTS", endpointRequests, 1, 1_000),
  signIn: Config.all({
    pair: numberOrDefault("SIGN_IN_FAILURES_PAIR", signIn.pair, 1, 1_000),
    account: numberOrDefault("SIGN_IN_FAILURES_ACCOUNT", signIn.account, 1, 10_000),
    address: numberOrDefault("SIGN_IN_FAILURES_ADDRESS", signIn.address, 1, 10_000)
  }),
  // Browsers keep a cookie for 400 days at most.
  sessionDays: numberOrDefault("SESSION_DAYS", sessionDays, 1, 400),
  // The attempts of a delivery take three days, and a failing endpoint is paused after five.
  deliveryDays: numberOrDefault("DELIVERY_DAYS", deliveryDays, 7, 400),
  journalDays: numberOrDefault("JOURNAL_DAYS", journalDays, 30, MAX_JOURNAL_DAYS)
})

export const LimitsLive = Layer.effect(OperatorLimits, limitSettings)
