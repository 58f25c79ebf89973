import { Effect } from "effect"
import { Agents } from "../../domain/access/Agents.ts"
import { NotSignedIn, Sessions } from "../../domain/access/Sessions.ts"
import { InvalidToken } from "../../domain/access/Tokens.ts"
import type { StoreId } from "../../domain/Store.ts"
import type { Principal } from "../Principal.ts"

/** Access that an open socket or a waiting call uses. */
export interface UsedAccess {
  readonly principal: Principal
  /** Stores that a merchant reads. */
  readonly stores: ReadonlyArray<StoreId>
}

/** Checks access that was granted before. The checks do not count as calls. */
export const makeEndedAccess = Effect.gen(function* () {
  const agents = yield* Agents
  const sessions = yield* Sessions

  /** Finds those whose session or membership has ended, whose agent was revoked, or whose scopes changed. */
  const findEnded = Effect.fnUntraced(function* <A extends UsedAccess>(uses: ReadonlyArray<A>) {
    const ofMerchants = uses.flatMap((use) =>
      use.principal._tag === "Merchant"
        ? [{ use, merchantId: use.principal.id, sessionId: use.principal.sessionId, stores: use.stores }]
        : []
    )
    const ofAgents = uses.flatMap((use) => (use.principal._tag === "Agent" ? [{ use, ...use.principal }] : []))
    const ended = ofMerchants.length === 0 ? [] : yield* sessions.ended(ofMerchants)
    const revoked = ofAgents.length === 0 ? [] : yield* agents.ended(ofAgents)
    return [...ended.map((index) => ofMerchants[index]), ...revoked.map((index) => ofAgents[index])].flatMap((found) =>
      found === undefined ? [] : [found.use]
    )
  })

  /** Fails if the principal of a waiting call no longer has access to the store. */
  const recheck = Effect.fnUntraced(function* (principal: Principal, store: StoreId) {
    const [ended] = yield* findEnded([{ principal, stores: [store] }])
    if (ended !== undefined) return yield* principal._tag === "Merchant" ? new NotSignedIn() : new InvalidToken()
  })

  return { findEnded, recheck }
})
