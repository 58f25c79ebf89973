import { Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import type { Role } from "../../src/domain/access/Merchants.ts"
import type { StoreId } from "../../src/domain/Store.ts"
import { WebFolder } from "../../src/http/routes/WebPages.ts"
import { ApiTest, baseUrl, makeStore } from "./http/Api.ts"
import { ChromiumTest, openWindow } from "./process/Chromium.ts"
import { buildOnce } from "./process/Process.ts"
import { memberOf } from "./rpc/Rpc.ts"

/** The pages as `npm run build` makes them. */
const folder = fileURLToPath(new URL("../../dist/web", import.meta.url))

/** The whole service with its pages, and a browser. */
export const PagesTest = Layer.unwrap(
  Effect.as(buildOnce, Layer.provide(ApiTest, Layer.succeed(WebFolder, folder)))
).pipe((service) => Layer.provideMerge(ChromiumTest, service))

interface Looking {
  readonly width?: number
  readonly height?: number
  /** Language of the browser, in which it shows and reads numbers. */
  readonly locale?: string
}

/** A browser window, signed in by a session cookie. */
export const windowOf = (cookie: string, size: Looking = {}) =>
  Effect.gen(function* () {
    const url = yield* baseUrl
    const window = yield* openWindow({ width: 1280, ...size })
    const [name = "", value = ""] = cookie.split("=", 2)
    yield* Effect.promise(() => window.context.addCookies([{ name, value, url }]))
    return { ...window, url }
  })

/** A member of a store with a window on its dashboard, a client, and the URL of the store's pages. */
export const dashboardMember = Effect.fn(function* (
  options: { readonly role?: Role; readonly plan?: string; readonly storeId?: StoreId } & Looking = {}
) {
  const storeId = options.storeId ?? (yield* makeStore(options.plan))
  const member = yield* memberOf(storeId, options.role)
  const window = yield* windowOf(member.cookie, options)
  return { storeId, ...member, ...window, dashboard: `${window.url}/dashboard/${storeId}` }
})
