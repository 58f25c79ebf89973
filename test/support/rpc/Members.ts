import { Effect, Layer, Redacted, Schema } from "effect"
import { Email, Merchants, Password } from "../../../src/domain/access/Merchants.ts"
import { Sessions } from "../../../src/domain/access/Sessions.ts"
import { StoreId } from "../../../src/domain/Store.ts"
import { DomainLive } from "../../../src/layers/Domain.ts"
import { postgres } from "../../../src/layers/sql/Postgres.ts"
import { performIn } from "../data/Writes.ts"

const toStore = Schema.decodeUnknownSync(StoreId)

/** Creates a merchant who is a member of the stores of a migrated database, and returns their session cookie. */
export const memberOf = (url: string, stores: ReadonlyArray<string>, address = "ada@example.com") =>
  Effect.gen(function* () {
    const { create, join } = yield* Merchants
    const { signIn } = yield* Sessions
    const email = Schema.decodeSync(Email)(address)
    const password = Schema.decodeSync(Password)("correct horse battery")
    yield* create({ email, name: "Ada", password })
    for (const store of stores.map((one) => toStore(one))) {
      const perform = yield* performIn(store)
      yield* perform(join(store, email, "owner"))
    }
    const { token } = yield* signIn({ email, password, address: "here", userAgent: "Test", replaced: undefined })
    return `session=${Redacted.value(token)}`
  }).pipe(
    Effect.provide(Layer.provideMerge(DomainLive, postgres({ url: Redacted.make(url), maxConnections: 2 })), {
      local: true
    }),
    Effect.scoped
  )
