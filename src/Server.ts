import { Effect, Layer } from "effect"
import { HttpRouter } from "effect/http"
import { makeMcp } from "./http/Mcp.ts"
import { HttpRoutes, RouteNote, RouterConfig, RouterMiddleware } from "./http/Routes.ts"
import { makeRpc } from "./http/Rpc.ts"
import { serve } from "./http/Serve.ts"
import { makeWebSockets } from "./http/WebSockets.ts"
import type { Streams } from "./rpc/Changes.ts"
import { makeAccessProcedures } from "./rpc/handlers/Access.ts"
import { makeAccountProcedures } from "./rpc/handlers/Account.ts"
import { makeAgentProcedures } from "./rpc/handlers/Agents.ts"
import { makeActivityProcedures } from "./rpc/handlers/Activity.ts"
import { makeCalls } from "./rpc/handlers/Calls.ts"
import { makeCatalogProcedures } from "./rpc/handlers/Catalog.ts"
import { makeChangeStreams } from "./rpc/handlers/Changes.ts"
import { makeDeveloperProcedures } from "./rpc/handlers/Developers.ts"
import { makeInventoryProcedures } from "./rpc/handlers/Inventory.ts"
import { makeMembershipProcedures } from "./rpc/handlers/Membership.ts"
import type { ProceduresOf } from "./rpc/handlers/Procedure.ts"
import { makeProposalProcedures } from "./rpc/handlers/Proposals.ts"
import { makeMessages } from "./rpc/mcp/Messages.ts"
import { makeRecordProcedures } from "./rpc/handlers/Records.ts"
import { makeSearchProcedures } from "./rpc/handlers/Search.ts"
import { makeSummaryProcedures } from "./rpc/handlers/Summaries.ts"
import { makeBillingProcedures } from "./rpc/handlers/Billing.ts"
import { makeInstallationProcedures } from "./rpc/handlers/Installations.ts"
import { makeWebhookProcedures } from "./rpc/handlers/Webhooks.ts"
import { makeSockets } from "./rpc/handlers/Sockets.ts"
import type { StreamsOf } from "./rpc/handlers/Streams.ts"
import type { Rpcs } from "./rpc/Rpcs.ts"

/** Every route of the service; what they need of the domain is left for `main` and the tests to provide. */
export const ServerLive = Layer.effectDiscard(
  Effect.gen(function* () {
    const catalog = yield* makeCatalogProcedures
    const inventory = yield* makeInventoryProcedures
    const procedures: ProceduresOf<typeof Rpcs> = {
      ...catalog,
      ...inventory,
      ...(yield* makeProposalProcedures({ ...catalog, ...inventory })),
      ...(yield* makeAccountProcedures),
      ...(yield* makeAgentProcedures),
      ...(yield* makeSearchProcedures),
      ...(yield* makeSummaryProcedures),
      ...(yield* makeMembershipProcedures),
      ...(yield* makeRecordProcedures),
      ...(yield* makeAccessProcedures),
      ...(yield* makeActivityProcedures),
      ...(yield* makeInstallationProcedures),
      ...(yield* makeWebhookProcedures),
      ...(yield* makeBillingProcedures),
      ...(yield* makeDeveloperProcedures)
    }
    const rpc = yield* makeRpc(yield* makeCalls(Object.values(procedures)))
    const mcp = yield* makeMcp(yield* makeMessages(procedures))
    const streams: StreamsOf<typeof Streams> = yield* makeChangeStreams
    const routes = Layer.mergeAll(HttpRoutes, rpc, mcp).pipe(Layer.provide(RouteNote), Layer.merge(RouterMiddleware))
    yield* serve(
      yield* Effect.provide(HttpRouter.toHttpEffect(routes), RouterConfig),
      yield* makeWebSockets(yield* makeSockets(Object.values(streams)))
    )
  })
)
