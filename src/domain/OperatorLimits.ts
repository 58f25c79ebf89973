import { Context } from "effect"

/** Limits that operators may set (docs/configuration.md, Limits). */
export interface OperatorLimits {
  /** Percentage of the connections of a process that the operations of one store may use at once. */
  readonly storeConnectionPercent: number
  /** Maximum number of waiting requests of one store in a process, in addition to the running ones. */
  readonly storeQueue: number
  /** Concurrent webhook requests of one process to one endpoint. */
  readonly endpointRequests: number
  /**
   * Maximum number of failed sign-ins within `SIGN_IN_MINUTES`: for an account from one address, for an account, and
   * from an address. Successful sign-ins are not counted. All addresses of an IPv6 /64 network count as one.
   */
  readonly signIn: { readonly pair: number; readonly account: number; readonly address: number }
  /** Days after which a session ends. */
  readonly sessionDays: number
  /**
   * Days for which finished deliveries, their attempts and events are kept, and deliveries of a paused webhook after
   * their due time.
   */
  readonly deliveryDays: number
  /** Minimum days for which an entry of the journal is kept. */
  readonly journalDays: number
}

/** Most days for which entries of the journal are kept: their partitions are used again after 480 days. */
export const MAX_JOURNAL_DAYS = 400

export const DEFAULT_LIMITS: OperatorLimits = {
  storeConnectionPercent: 30,
  storeQueue: 128,
  endpointRequests: 32,
  signIn: { pair: 10, account: 100, address: 100 },
  sessionDays: 30,
  deliveryDays: 30,
  journalDays: MAX_JOURNAL_DAYS
}

export const OperatorLimits = Context.Reference<OperatorLimits>("domain/OperatorLimits", {
  defaultValue: () => DEFAULT_LIMITS
})
