import { Effect } from "effect"
import { type Installation, Installations } from "../../../src/domain/access/Installations.ts"
import { AgentId, MerchantId } from "../../../src/domain/access/Ids.ts"
import { Actor } from "../../../src/domain/Actor.ts"
import type { StoreId } from "../../../src/domain/Store.ts"
import { ChangeRecorder, type Write, type WriteContext, Writes } from "../../../src/domain/Write.ts"
import { UnitOfWork } from "../../../src/layers/sql/UnitOfWork.ts"

export const MERCHANT = Actor.Merchant({ id: MerchantId.make("01890a5d-ac96-774b-bcce-b302099a8057") })

export const AGENT = Actor.Agent({ id: AgentId.make("01890a5d-ac96-774b-bcce-b302099a8058") })

/** Context of a write that no event caused. */
export const contextOf = (storeId: StoreId, actor: Actor = MERCHANT): WriteContext => ({
  storeId,
  actor,
  surface: "rpc",
  cause: null,
  mode: "perform"
})

/** Suspends an installation, as a member of its store does. */
export const suspend = ({ id, storeId }: Pick<Installation, "id" | "storeId">) =>
  Effect.gen(function* () {
    const perform = yield* performIn(storeId)
    const installations = yield* Installations
    yield* perform(installations.suspend(storeId, id))
  })

/** Installs apps without the consent page. */
export const installing = Effect.map(Effect.all([Installations, Writes]), ([installations, { perform }]) => ({
  install: (request: Parameters<typeof installations.install>[0]) =>
    perform(contextOf(request.storeId), installations.install(request))
}))

/** Performs writes in the store as the actor, by default a merchant. */
export const performIn = (storeId: StoreId, actor?: Actor) =>
  Effect.map(
    Writes,
    ({ perform }) =>
      <A, E>(write: Write<A, E>) =>
        perform(contextOf(storeId, actor), write)
  )

/** Performs a write outside stores, which records no changes. */
export const performUnrecorded = <A, E>(write: Write<A, E>) =>
  Effect.flatMap(UnitOfWork.make, ({ run }) =>
    run(Effect.provideService(write, ChangeRecorder, { record: () => Effect.die(new Error("A change was recorded")) }))
  )
