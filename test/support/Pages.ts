import { Effect, Layer } from "effect"
import { fileURLToPath } from "node:url"
import type { Role } from "../../src/domain/access/Merchants.ts"
import type { StoreId } from "../../src/domain/Store.ts"
import { WebFolder } from "../../src/http/routes/WebPages.ts"
import { baseUrl, makeStore } from "./http/Api.ts"
import { IsolatedJobsTest } from "./http/ChangeSets.ts"
import { ChromiumTest, openWindow } from "./process/Chromium.ts"
import { buildOnce } from "./process/Process.ts"
import { sharedByFiles } from "./SharedByFiles.ts"
import { memberOf } from "./rpc/Rpc.ts"

/** The pages as `npm run build` makes them. */
const folder = fileURLToPath(new URL("../../dist/web", import.meta.url))

const service = Layer.unwrap(Effect.as(buildOnce, Layer.provide(IsolatedJobsTest, Layer.succeed(WebFolder, folder))))

/** The whole service with its pages, on its own database, and a browser. For tests with a delivery worker. */
export const IsolatedPagesTest = Layer.merge(ChromiumTest, service)

/** {@link IsolatedPagesTest}, built once for all files of a worker. */
export const PagesTest = Layer.merge(ChromiumTest, sharedByFiles(service))

interface Looking {
  readonly width?: number
  readonly height?: number
  /** Language of the browser, in which it shows and reads numbers. */
  readonly locale?: string
  /** Language of the texts, English unless set. */
  readonly language?: "en" | "de"
}

/** A browser window, signed in by a session cookie. */
export const windowOf = (cookie: string, { language = "en", ...size }: Looking = {}) =>
  Effect.gen(function* () {
    const url = yield* baseUrl
    const window = yield* openWindow({ width: 1280, ...size })
    const [name = "", value = ""] = cookie.split("=", 2)
    yield* Effect.promise(async () => {
      await window.context.addCookies([{ name, value, url }])
      await window.context.addInitScript(
        (first) => localStorage.setItem("language", localStorage.getItem("language") ?? first),
        language
      )
    })
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
