import { Context, Effect, Layer, Option } from "effect"
import { AccountLinks } from "../../domain/access/AccountLinks.ts"
import { Agents } from "../../domain/access/Agents.ts"
import type { MerchantId } from "../../domain/access/Ids.ts"
import { Installations } from "../../domain/access/Installations.ts"
import { type Membership, Merchants, type Role } from "../../domain/access/Merchants.ts"
import { Sessions } from "../../domain/access/Sessions.ts"
import { MAIN } from "../../domain/cells/Cells.ts"
import { ChangeSets } from "../../domain/changeSets/ChangeSets.ts"
import { Changes } from "../../domain/journal/Changes.ts"
import { Files } from "../../domain/media/Files.ts"
import { Images } from "../../domain/media/Images.ts"
import { Consents } from "../../domain/oauth/Consents.ts"
import { Grants } from "../../domain/oauth/Grants.ts"
import type { StoreId } from "../../domain/Store.ts"
import { Cells, type CellServices } from "./Cells.ts"
import { Directory } from "./Directory.ts"
import { MemberRoles, sessionsWithRoles } from "./MemberRoles.ts"
import { makeCalls } from "./CellCalls.ts"
import { RoutedDevelopers } from "./RoutedDevelopers.ts"

const RoutedSessions = Layer.effect(
  Sessions,
  Effect.gen(function* () {
    const sessions = yield* Sessions
    const { findIndexes, inStore } = yield* makeCalls
    return sessionsWithRoles(sessions, {
      rolesOf: Effect.fnUntraced(function* (merchantId, stores) {
        const roles: Record<StoreId, Role> = {}
        for (const store of new Set(stores)) {
          const found = yield* inStore(store, (services) =>
            Context.get(services, MemberRoles).rolesOf(merchantId, [store])
          )
          Object.assign(roles, found)
        }
        return roles
      }),
      lost: (members) => findIndexes(members, (services, some) => Context.get(services, MemberRoles).lost(some))
    })
  })
)

const RoutedAgents = Layer.effect(
  Agents,
  Effect.gen(function* () {
    const agents = yield* Agents
    const { findIndexes, forToken } = yield* makeCalls
    return Agents.of({
      ...agents,
      admit: (token, calls, accepted) =>
        forToken(token, (services) => Context.get(services, Agents).admit(token, calls, accepted)),
      ended: (connections) => findIndexes(connections, (services, some) => Context.get(services, Agents).ended(some))
    })
  })
)

const byName = (a: Membership, b: Membership) =>
  a.storeName < b.storeName ? -1 : a.storeName > b.storeName ? 1 : a.storeId < b.storeId ? -1 : 1

const RoutedMerchants = Layer.effect(
  Merchants,
  Effect.gen(function* () {
    const merchants = yield* Merchants
    const directory = yield* Directory
    const { inCell } = yield* makeCalls

    const memberships = Effect.fnUntraced(function* (merchant: MerchantId) {
      const others = yield* directory.storesOf(merchant)
      const cells = new Set([MAIN, ...(yield* Effect.forEach(others, (store) => directory.cellOf(store)))])
      const lists = yield* Effect.forEach(
        cells,
        (cell) => inCell(cell, (services) => Context.get(services, Merchants).memberships(merchant)),
        { concurrency: "unbounded" }
      )
      return lists.flat().toSorted(byName)
    })

    return Merchants.of({
      ...merchants,
      memberships,
      account: (id) =>
        Effect.zipWith(merchants.account(id), memberships(id), (account, stores) => ({ ...account, stores }))
    })
  })
)

const RoutedAccountLinks = Layer.effect(
  AccountLinks,
  Effect.gen(function* () {
    const links = yield* AccountLinks
    const { forToken } = yield* makeCalls
    return AccountLinks.of({
      ...links,
      readInvitation: (opened) =>
        forToken(opened.token, (services) => Context.get(services, AccountLinks).readInvitation(opened)),
      accept: (opened) => forToken(opened.token, (services) => Context.get(services, AccountLinks).accept(opened)),
      acceptWithNewAccount: (opened) =>
        forToken(opened.token, (services) => Context.get(services, AccountLinks).acceptWithNewAccount(opened)),
      readReset: (opened) =>
        forToken(opened.token, (services) => Context.get(services, AccountLinks).readReset(opened)),
      reset: (opened) => forToken(opened.token, (services) => Context.get(services, AccountLinks).reset(opened))
    })
  })
)

/** Installations, for the consent to an app that is installed already. */
const RoutedInstallations = Layer.effect(
  Installations,
  Effect.gen(function* () {
    const installations = yield* Installations
    const { inStore } = yield* makeCalls
    return Installations.of({
      ...installations,
      list: (of) =>
        Option.match(of.storeId, {
          onNone: () => installations.list(of),
          onSome: (store) => inStore(store, (services) => Context.get(services, Installations).list(of))
        })
    })
  })
)

const RoutedOauth = Layer.unwrap(
  Effect.gen(function* () {
    const grants = yield* Grants
    const { forToken, inStore } = yield* makeCalls
    return Layer.merge(
      Layer.succeed(Grants, {
        ...grants,
        exchange: (client, presented) =>
          forToken(presented.code, (services) => Context.get(services, Grants).exchange(client, presented)),
        refresh: (client, presented) =>
          forToken(presented.refreshToken, (services) => Context.get(services, Grants).refresh(client, presented)),
        revoke: (client, token) => forToken(token, (services) => Context.get(services, Grants).revoke(client, token))
      }),
      Layer.succeed(Consents, {
        install: (consent, app) =>
          inStore(consent.storeId, (services) => Context.get(services, Consents).install(consent, app)),
        makeAgent: (consent, agent) =>
          inStore(consent.storeId, (services) => Context.get(services, Consents).makeAgent(consent, agent))
      })
    )
  })
)

const RoutedStreams = Layer.unwrap(
  Effect.gen(function* () {
    const sets = yield* ChangeSets
    const { streamInStore } = yield* makeCalls
    return Layer.merge(
      Layer.succeed(Changes, {
        follow: (store, after, resources) =>
          streamInStore(store, (services) => Context.get(services, Changes).follow(store, after, resources))
      }),
      Layer.succeed(ChangeSets, {
        ...sets,
        follow: (store, id, right) =>
          streamInStore(store, (services) => Context.get(services, ChangeSets).follow(store, id, right))
      })
    )
  })
)

/** Bytes by their hash. A URL names no store, so the cells are asked one after the other; responses are cached for ever. */
const RoutedMedia = Layer.unwrap(
  Effect.gen(function* () {
    const files = yield* Files
    const images = yield* Images
    const { names } = yield* Cells
    const { inCell } = yield* makeCalls
    const findFirst = <A, E>(
      call: (services: Context.Context<CellServices>) => Effect.Effect<Option.Option<A>, E>
    ): Effect.Effect<Option.Option<A>, E> =>
      Effect.gen(function* () {
        for (const cell of [MAIN, ...names]) {
          const found = yield* inCell(cell, call)
          if (Option.isSome(found)) return found
        }
        return Option.none()
      })
    return Layer.merge(
      Layer.succeed(Files, {
        ...files,
        serve: (hash) => findFirst((services) => Context.get(services, Files).serve(hash))
      }),
      Layer.succeed(Images, {
        ...images,
        serve: (hash, width, accepted) =>
          findFirst((services) => Context.get(services, Images).serve(hash, width, accepted))
      })
    )
  })
)

/**
 * Services of requests that name no cell, such as sign-in pages, tokens and sockets. Each calls the cell of the store or
 * token, or all cells of an account.
 */
export const RoutedServices = Layer.mergeAll(
  RoutedSessions,
  RoutedAgents,
  RoutedMerchants,
  RoutedAccountLinks,
  RoutedInstallations,
  RoutedOauth,
  RoutedStreams,
  RoutedMedia,
  RoutedDevelopers
)
