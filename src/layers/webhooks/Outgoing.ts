import { Context, Effect, Result, type Scope } from "effect"
import { lookup as systemLookup, promises } from "node:dns"
import type { LookupFunction } from "node:net"
import { createSecureContext, type SecureContext } from "node:tls"
import { type AllowedHosts, NO_HOSTS } from "../../domain/webhooks/AllowedHosts.ts"
import { checkUrl } from "../../domain/webhooks/Target.ts"
import { makeConnections } from "./Connections.ts"
import { type Connector, makeConnector } from "./Connector.ts"
import { type Attempt, exchange, type OutgoingRequest } from "./Exchange.ts"
import { guarded, lookupBy } from "./Lookup.ts"

/** Milliseconds in which an answer must be complete, from the lookup of the host on (decisions, section 10). */
const TIMEOUT = 10_000

export interface Outgoing {
  /**
   * Sends one POST request, once: redirects are not followed. When it is over, by an answer, an error, the time limit or
   * interruption, nothing of it goes on.
   */
  readonly post: (request: OutgoingRequest) => Effect.Effect<Attempt>
  /** The same with a GET request. An answer longer than is kept is an error. */
  readonly get: (request: Omit<OutgoingRequest, "body">) => Effect.Effect<Attempt>
}

export interface OutgoingOptions {
  readonly allowed: AllowedHosts
  /** Where hosts lead that the operator did not name. Those that it leads to are judged. That of `Internet` if not given. */
  readonly lookup?: LookupFunction
  /** Milliseconds for a request in all; 10,000 if not given. */
  readonly timeoutMillis?: number
  /** Which certificates are trusted; those of `Internet` if not given. */
  readonly secureContext?: SecureContext
}

/** Asks the system's DNS servers, each soon enough after the one before that a dead one does not cost the request. */
const makeDnsLookup = () => lookupBy(new promises.Resolver({ timeout: 2000, tries: 2 }))

/** The internet as it is asked for hosts that the operator did not name: public addresses, and who is trusted there. */
export const Internet = Context.Reference<{ readonly lookup: LookupFunction; readonly secureContext: SecureContext }>(
  "layers/webhooks/Internet",
  {
    defaultValue: (): { readonly lookup: LookupFunction; readonly secureContext: SecureContext } => ({
      lookup: guarded(makeDnsLookup()),
      secureContext: createSecureContext()
    })
  }
)

const scopedConnections = (connector: Connector) =>
  Effect.acquireRelease(
    Effect.sync(() => makeConnections(connector)),
    ({ destroyAll }) => Effect.sync(destroyAll)
  )

/** An attempt of which nothing was sent. */
export const refused = (error: string): Attempt => ({
  status: null,
  answer: new Uint8Array(),
  error,
  durationMillis: 0,
  headers: {}
})

/**
 * Sends webhooks: to public addresses and allowed hosts alone (decisions, section 10), through no proxy, whatever the
 * environment says. Allowed hosts have connections of their own, so that none of those ever serves another URL. The
 * end of the scope closes every socket; requests under way fail.
 */
export const makeOutgoing = ({
  allowed,
  lookup,
  secureContext: trusted,
  timeoutMillis = TIMEOUT
}: OutgoingOptions): Effect.Effect<Outgoing, never, Scope.Scope> =>
  Effect.gen(function* () {
    const internet = yield* Internet
    const secureContext = trusted ?? internet.secureContext
    const lookupPublic = lookup === undefined ? internet.lookup : guarded(lookup)
    const toPublic = yield* scopedConnections(makeConnector(lookupPublic, secureContext))
    const toAllowed = yield* scopedConnections(makeConnector(systemLookup, secureContext))

    const send = (request: OutgoingRequest) =>
      Effect.callback<Attempt>((resume) => {
        const target = checkUrl(request.url, request.isPublicOnly === true ? NO_HOSTS : allowed)
        if (Result.isFailure(target)) return resume(Effect.succeed(refused(target.failure.message)))
        const { isAllowed, origin, path } = target.success
        const connection = (isAllowed ? toAllowed : toPublic).take(origin)
        const options = { connection, path, request, timeoutMillis }
        const stop = exchange(options, (attempt) => resume(Effect.succeed(attempt)))
        return Effect.sync(stop)
      })

    return {
      post: send,
      get: (request) => send({ ...request, body: null })
    }
  })
