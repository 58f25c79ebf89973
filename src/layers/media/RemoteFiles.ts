import { Context, Effect, Layer, RcMap, Result, Semaphore, Stream } from "effect"
import { FileNotFetched } from "../../domain/media/File.ts"
import { Files } from "../../domain/media/Files.ts"
import { RemoteFiles } from "../../domain/media/RemoteFiles.ts"
import type { StoreId } from "../../domain/Store.ts"
import { MAX_URL_LENGTH, parseUrl } from "../../domain/Url.ts"
import { notPublic } from "../../domain/webhooks/Address.ts"
import { hostOf, NO_HOSTS } from "../../domain/webhooks/AllowedHosts.ts"
import { makeOutgoing, type NotRead } from "../webhooks/Outgoing.ts"

/** Milliseconds for a response, and for the redirects before it. Both are less than the time of an MCP tool. */
export const FetchTimeout = Context.Reference("layers/media/FetchTimeout", { defaultValue: () => 20_000 })

/**
 * Pictures that a process fetches at once: in all, and for one store or from one host. A picture takes a socket and up to
 * 20 MiB of disk.
 */
const MAX_FETCHES = 16
const MAX_OF_ONE = 4

/** Redirects that are followed. */
const MAX_REDIRECTS = 5

const HEADERS = { accept: "image/*", "accept-encoding": "identity", "user-agent": "PartnerAPI-Files/1" }

const notFetched = (problem: FileNotFetched["problem"], reason: string, status: number | null = null) =>
  new FileNotFetched({ problem, status, reason })

/** Converts an error of the client, whose sentences are about receivers of webhooks. */
const ofClient = ({ problem, reason }: NotRead) => notFetched(problem, reason.replaceAll("receiver", "server"))

const refuse = (reason: string, problem: "url" | "address" = "url") => Result.fail(notFetched(problem, reason))

/** Checks a URL as webhooks do, with reasons for people who name a picture. */
const check = (text: string): Result.Result<URL, FileNotFetched> => {
  const url = parseUrl(text)
  if (url === undefined || text.length > MAX_URL_LENGTH) {
    return refuse(
      `the URL must be absolute, as in https://example.com/desk.jpg, of at most ${MAX_URL_LENGTH} characters`
    )
  }
  if (url.protocol !== "https:") return refuse("the URL must begin with https://")
  if (url.username !== "" || url.password !== "") return refuse("the URL must not contain a user name or password")
  const reason = notPublic(hostOf(url))
  if (reason !== undefined) {
    return refuse(`the URL ${reason}; pictures are fetched from public addresses only`, "address")
  }
  url.hash = ""
  return Result.succeed(url)
}

export const RemoteFilesLive = Layer.effect(
  RemoteFiles,
  Effect.gen(function* () {
    const files = yield* Files
    const timeoutMillis = yield* FetchTimeout
    // Clients choose these URLs, not the operator, so `WEBHOOK_ALLOW_HOSTS` does not apply.
    const { open } = yield* makeOutgoing({ allowed: NO_HOSTS, timeoutMillis })
    const fetches = yield* Semaphore.make(MAX_FETCHES)
    /** Limits of single stores, by their ids, and of single hosts. */
    const shares = yield* RcMap.make({ lookup: (_: string) => Semaphore.make(MAX_OF_ONE) })

    /** Opens the response at a URL, or at the one to which it redirects. Each URL is checked. */
    const openFinal = Effect.fnUntraced(function* (text: string) {
      let url = yield* Effect.fromResult(check(text))
      for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
        const { body, location, status } = yield* Effect.mapError(open({ url: url.href, headers: HEADERS }), ofClient)
        if (status === 200) return body
        if (![301, 302, 303, 307, 308].includes(status) || location === undefined) {
          return yield* notFetched("status", `its server answered with status ${status} instead of 200`, status)
        }
        const next = URL.parse(location, url)
        url = yield* Effect.fromResult(check(next?.href ?? location))
      }
      return yield* notFetched("redirects", `it redirects more than ${MAX_REDIRECTS} times; use the final URL`)
    })

    const receive = Effect.fnUntraced(function* (store: StoreId, url: string) {
      const body = yield* Effect.timeoutOrElse(openFinal(url), {
        duration: timeoutMillis,
        orElse: () => notFetched("timeout", `there was no response within ${timeoutMillis / 1000} seconds`)
      })
      return yield* files.receive(store, Stream.mapError(body, ofClient))
    })

    return RemoteFiles.of({
      check: (url) => Effect.asVoid(Effect.fromResult(check(url))),

      receive: Effect.fn("RemoteFiles.receive")(function* (store, url) {
        const { host } = yield* Effect.fromResult(check(url))
        const [ofStore, ofHost] = yield* Effect.all([RcMap.get(shares, store), RcMap.get(shares, host)])
        return yield* ofStore.withPermit(ofHost.withPermit(fetches.withPermit(receive(store, url))))
      })
    })
  })
)
