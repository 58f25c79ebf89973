import { Context, Effect, Layer, type Redacted, Schedule } from "effect"
import { Apps } from "../../domain/access/Apps.ts"
import { Developers } from "../../domain/access/Developers.ts"
import { EmailUnproven, Merchants } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { Stores } from "../../domain/access/Stores.ts"
import { AccountLinks } from "../../domain/access/AccountLinks.ts"
import type { CellName } from "../../domain/cells/Cells.ts"
import { AgentClients } from "../../domain/oauth/AgentClients.ts"
import { Clients, type Credentials } from "../../domain/oauth/Clients.ts"
import { Grants, type TokenSet } from "../../domain/oauth/Grants.ts"
import { Webhooks } from "../../domain/webhooks/Webhooks.ts"
import { DomainLive } from "../Domain.ts"
import { indexMember } from "../access/Merchants.ts"
import { authenticatedClient } from "../oauth/Clients.ts"
import { orDefect } from "../sql/Errors.ts"
import { GlobalDatabase } from "../sql/Postgres.ts"
import { Directory } from "./Directory.ts"
import { MemberRoles, sessionsWithRoles } from "./MemberRoles.ts"

/** Services on the global database, which all cells share. They are those of the cell `main`. */
export class GlobalServices extends Context.Service<
  GlobalServices,
  {
    readonly accountLinks: typeof AccountLinks.Service
    readonly agentClients: typeof AgentClients.Service
    readonly apps: typeof Apps.Service
    readonly clients: typeof Clients.Service
    readonly developers: typeof Developers.Service
    readonly merchants: typeof Merchants.Service
    readonly sessions: typeof Sessions.Service
    readonly stores: typeof Stores.Service
    readonly webhooks: typeof Webhooks.Service
  }
>()("layers/cells/GlobalServices") {
  static readonly layer = Layer.effect(
    this,
    Effect.all({
      accountLinks: AccountLinks,
      agentClients: AgentClients,
      apps: Apps,
      clients: Clients,
      developers: Developers,
      merchants: Merchants,
      sessions: Sessions,
      stores: Stores,
      webhooks: Webhooks
    })
  )
}

/** Pauses before copies that the global database has already changed are read again: together 5 s, many times the usual delay. */
const ARRIVAL = Schedule.max([Schedule.exponential("5 millis"), Schedule.recurs(10)])

/** Sessions of the global database, with the roles of a cell. */
const SessionsInCell = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const { sessions } = yield* GlobalServices
    return sessionsWithRoles(sessions, yield* MemberRoles)
  })
)

/** Stores of a cell. A store is reachable once the directory names its cell. */
const StoresInCell = (cell: CellName) =>
  Layer.effect(
    Stores,
    Effect.gen(function* () {
      const stores = yield* Stores
      const { stores: global } = yield* GlobalServices
      const { assign, requireOpen } = yield* Directory
      return Stores.of({
        ...stores,
        createPlan: global.createPlan,
        create: (store) =>
          Effect.andThen(
            requireOpen(cell),
            Effect.tap(stores.create(store), (id) => assign(id, cell))
          )
      })
    })
  )

/** Accounts of the global database, with the members of a cell. New members are indexed before their membership commits. */
const MerchantsInCell = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const { merchants: global } = yield* GlobalServices
    const { sql } = yield* GlobalDatabase
    return Merchants.of({
      ...merchants,
      create: global.create,
      find: global.find,
      resetPassword: global.resetPassword,
      join: (store, email, role) => {
        const isProven = Effect.isSuccess(global.find(email))
        return merchants.join(store, email, role).pipe(
          // A password reset proves the address in the global database, some milliseconds before here.
          Effect.retry({
            while: ({ _tag }) => (_tag === "EmailUnproven" ? isProven : Effect.succeed(false)),
            schedule: ARRIVAL
          }),
          Effect.tap((merchant) =>
            Effect.gen(function* () {
              const isIndexed = yield* orDefect(indexMember(sql, { merchant, store, isInvited: false }))
              if (!isIndexed) return yield* new EmailUnproven({ email })
            })
          )
        )
      }
    })
  })
)

/** Links of a cell. Links of operators are in the global database. */
const AccountLinksInCell = Layer.effect(
  AccountLinks,
  Effect.gen(function* () {
    const links = yield* AccountLinks
    const { accountLinks } = yield* GlobalServices
    return AccountLinks.of({ ...links, createOperatorReset: accountLinks.createOperatorReset })
  })
)

/** Apps of the global database, with their installations and deliveries in a cell. */
const DevelopersInCell = Layer.effect(
  Developers,
  Effect.gen(function* () {
    const { get, installations, list, redeliver } = yield* Developers
    const { developers: global } = yield* GlobalServices
    return Developers.of({ ...global, get, installations, list, redeliver })
  })
)

/** Deliveries of a cell. Webhooks and their secrets are changed in the global database. */
const WebhooksInCell = Layer.effect(
  Webhooks,
  Effect.gen(function* () {
    const webhooks = yield* Webhooks
    const { webhooks: global } = yield* GlobalServices
    const { pause, reseal, rotateSecret, subscribe } = global
    return Webhooks.of({ ...webhooks, pause, reseal, rotateSecret, subscribe })
  })
)

/**
 * Grants of a cell, whose copies of clients and secrets arrive some milliseconds after a change. The global database knows
 * whether a client is still to arrive, so an invalid client does not wait.
 */
const GrantsInCell = Layer.effect(
  Grants,
  Effect.gen(function* () {
    const grants = yield* Grants
    const { sql } = yield* GlobalDatabase

    const isAuthentic = Effect.fn("Grants.isAuthentic")(function* (client: Credentials) {
      const rows = yield* sql`with ${authenticatedClient(client)} select from client`
      return rows.length > 0
    }, orDefect)

    const isArriving = (client: Credentials, { _tag }: { readonly _tag: string }) =>
      _tag === "InvalidClient" ? isAuthentic(client) : Effect.succeed(false)

    const awaitClient = <A, E extends { readonly _tag: string }>(client: Credentials, exchange: Effect.Effect<A, E>) =>
      Effect.retry(exchange, { while: (error) => isArriving(client, error), schedule: ARRIVAL })

    const { nameTokens } = yield* Directory
    /** Makes the tokens for which one of an earlier release was exchanged known, before the client has them. */
    const named =
      (exchanged: Redacted.Redacted) =>
      ({ accessToken, refreshToken }: TokenSet) =>
        nameTokens(exchanged, [accessToken, refreshToken])

    return Grants.of({
      ...grants,
      exchange: (client, presented) =>
        Effect.tap(awaitClient(client, grants.exchange(client, presented)), named(presented.code)),
      refresh: (client, presented) =>
        Effect.tap(awaitClient(client, grants.refresh(client, presented)), named(presented.refreshToken)),
      revoke: (client, token) => awaitClient(client, grants.revoke(client, token))
    })
  })
)

/** Apps of the global database, with their installations in a cell. */
const AppsInCell = Layer.effect(
  Apps,
  Effect.gen(function* () {
    const { list } = yield* Apps
    const { apps: global } = yield* GlobalServices
    return Apps.of({ ...global, list })
  })
)

/** Services that a cell takes from the global database unchanged. */
const GlobalInCell = Layer.unwrap(
  Effect.map(GlobalServices, ({ agentClients, clients }) =>
    Layer.merge(Layer.succeed(AgentClients, agentClients), Layer.succeed(Clients, clients))
  )
)

/** All domain services of a cell besides `main`, on its database. */
export const domainInCell = (cell: CellName) =>
  Layer.mergeAll(
    SessionsInCell,
    StoresInCell(cell),
    MerchantsInCell,
    AccountLinksInCell,
    DevelopersInCell,
    GrantsInCell,
    WebhooksInCell,
    AppsInCell,
    GlobalInCell
  ).pipe(Layer.provideMerge(MemberRoles.layer), Layer.provideMerge(DomainLive))
