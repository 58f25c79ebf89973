import { assert, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NOTHING } from "../../src/domain/access/AccessRule.ts"
import { AnyToken } from "../../src/domain/access/AccessRule.ts"
import { ProductNotFound, ProductId } from "../../src/domain/catalog/Product.ts"
import { SlugTaken } from "../../src/domain/catalog/Slug.ts"
import { InstallationId } from "../../src/domain/access/Installations.ts"
import { StoreId } from "../../src/domain/Store.ts"
import { needs } from "../../src/http/api/Access.ts"
import { pageQuery } from "../../src/http/api/Shapes.ts"
import type { Call } from "../../src/http/Call.ts"
import { publicError } from "../../src/http/ErrorTable.ts"
import type { Handler, HandlersOf } from "../../src/http/Handler.ts"
import { read } from "../../src/http/handlers/Reads.ts"

const listThings = HttpApiEndpoint.get("listThings", "/things", {
  query: pageQuery(ProductId),
  success: Schema.Struct({})
}).annotateMerge(needs(AnyToken.make({})))

const getThing = HttpApiEndpoint.get("getThing", "/things/:id", {
  params: { id: ProductId },
  success: Schema.Struct({}).pipe(HttpApiSchema.status(203)),
  error: publicError(ProductNotFound)
}).annotateMerge(needs(AnyToken.make({})))

const postThing = HttpApiEndpoint.post("postThing", "/things", { success: Schema.Struct({}) }).annotateMerge(
  needs(AnyToken.make({}))
)

const Things = HttpApiGroup.make("Things").add(listThings, getThing)
type Things = typeof Things

const toAnswer = (body: string) => ({ body, etag: null })
const list = read(listThings, ({ query }) => Effect.succeed(JSON.stringify(query)), toAnswer)
const get = read(getThing, ({ path }) => Effect.succeed(path.id), toAnswer)

const unknown = ProductId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a90")

/** Never run: what compiles here, and what does not, is the test. */
export const handlers = () => ({
  all: { listThings: list, getThing: get } satisfies HandlersOf<Things>,
  // @ts-expect-error: the handler of getThing is missing
  tooFew: { listThings: list } satisfies HandlersOf<Things>,
  // @ts-expect-error: no endpoint is called dropThing
  tooMany: { listThings: list, getThing: get, dropThing: get } satisfies HandlersOf<Things>,
  // @ts-expect-error: it handles another endpoint than it stands for
  swapped: { listThings: get, getThing: get } satisfies HandlersOf<Things>,

  declared: read(getThing, () => new ProductNotFound({ id: unknown }), toAnswer),
  // @ts-expect-error: the definition declares no SlugTaken
  undeclared: read(getThing, () => new SlugTaken({ slug: "a" }), toAnswer),
  // @ts-expect-error: the definition has no query
  withoutQuery: read(getThing, ({ query }) => Effect.succeed(query.cursor), toAnswer),
  // @ts-expect-error: the definition has no path
  withoutPath: read(listThings, ({ path }) => Effect.succeed(path.id), toAnswer),
  // @ts-expect-error: a write is no read
  written: read(postThing, () => Effect.succeed(""), toAnswer)
})

const callOf = (sent: Partial<Call>): Call => ({
  installation: {
    id: InstallationId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a91"),
    storeId: StoreId.make("019c1363-49c0-7d21-9a53-5b1c6e2f8a92"),
    ...NOTHING
  },
  requestId: "request",
  method: "GET",
  url: "/",
  header: () => undefined,
  body: Result.succeed(Buffer.alloc(0)),
  params: {},
  query: {},
  ...sent
})

const answerOf = ({ handle }: Handler, sent: Partial<Call>) => Effect.runSync(Effect.result(handle(callOf(sent))))

it("path, query and status are those of the definition", () => {
  const found = { status: 203, body: unknown, headers: {} }
  assert.deepStrictEqual(answerOf(get, { params: { id: unknown } }), Result.succeed(found))
  assert.isTrue(Result.isFailure(answerOf(get, { params: { id: "none" } })))

  const page = { status: 200, body: '{"limit":50}', headers: {} }
  assert.deepStrictEqual(answerOf(list, { params: { id: "none" } }), Result.succeed(page))
  assert.isTrue(Result.isFailure(answerOf(list, { query: { limit: "0" } })))
})
