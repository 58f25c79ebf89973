import { createServer } from "node:http"
import { ApiError, authorizationUrl, createClient, exchangeCode, generatePkce, refreshToken } from "partner-api/client"
import { verifyWebhook } from "partner-api/webhooks"
import { overview, problem, welcome } from "./pages.mjs"
import { app, origin, port, webhookSecret } from "./settings.mjs"
import { isInstalled, tokens } from "./tokens.mjs"

const client = createClient({ url: app.url, tokens })

/** Verifiers of authorizations that are under way, by their state. */
const pending = new Map()

/** Changes of others by event id, newest first. Deliveries can repeat, so each event is stored once. */
const events = new Map()

const bodyOf = async (request) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const formOf = async (request) => Object.fromEntries(new URLSearchParams((await bodyOf(request)).toString()))

const show = (html, status = 200) => ({ status, headers: { "content-type": "text/html; charset=utf-8" }, body: html })
const leadTo = (location, headers = {}) => ({ status: 303, headers: { location, ...headers }, body: "" })

/** Which authorization this browser began: a callback that another one was sent to is not for it. */
const stateOf = ({ headers }) => /(?:^|; )state=([\w-]+)/.exec(headers.cookie ?? "")?.[1] ?? ""

const routes = {
  "GET /": async () => {
    if (!isInstalled()) return show(welcome())
    const [{ data: store }, { items }] = await Promise.all([
      client.store.get(),
      client.products.list({ limit: 10 }).page()
    ])
    return show(overview(store, items, [...events.values()].toReversed().slice(0, 10)))
  },

  "GET /install": async () => {
    const state = crypto.randomUUID()
    const { challenge, verifier } = await generatePkce()
    pending.set(state, verifier)
    const cookie = `state=${state}; HttpOnly; SameSite=Lax; Path=/; Max-Age=600`
    return leadTo(authorizationUrl(app, { challenge, state }), { "set-cookie": cookie })
  },

  "GET /callback": async (request) => {
    const state = stateOf(request)
    const verifier = pending.get(state)
    if (verifier === undefined) return show(problem("This browser began no installation"), 400)
    pending.delete(state)
    tokens.save(await exchangeCode(app, { callback: request.url, state, verifier }))
    return leadTo("/")
  },

  "POST /raise": async (request) => {
    const { id, price, version } = await formOf(request)
    const raised = Math.round(Number(price) * 110) / 100
    // The price that was seen is the one that is raised: whoever changed it meanwhile is not overruled.
    await client.products.update(id, { price: raised }, { ifMatch: Number(version) })
    return leadTo("/")
  },

  /** The client renews the token by itself when it has ended; this is how it is done at any time. */
  "POST /refresh": async () => {
    tokens.save(await refreshToken(app, tokens.load().refreshToken))
    return leadTo("/")
  },

  "POST /webhooks": async (request) => {
    const result = await verifyWebhook(webhookSecret, request.headers, await bodyOf(request))
    if (!result.ok) return { status: 400, headers: {}, body: result.message }
    events.set(result.event.id, result.event)
    return { status: 204, headers: {}, body: "" }
  }
}

/** Forms are sent by pages of this app; webhooks by no page at all. */
const isOwn = ({ headers, method }) => method === "GET" || headers.origin === undefined || headers.origin === origin

const answer = async (request) => {
  const { pathname } = new URL(request.url, origin)
  const route = routes[`${request.method} ${pathname}`]
  if (route === undefined || !isOwn(request)) return show(problem("There is nothing here"), 404)
  try {
    return await route(request)
  } catch (error) {
    process.stderr.write(`${error}\n`)
    return show(problem(error.message), error instanceof ApiError ? error.status : 502)
  }
}

createServer((request, response) => {
  void answer(request).then(({ body, headers, status }) => response.writeHead(status, headers).end(body))
}).listen(port, "127.0.0.1", () => process.stdout.write(`Price tags  ${origin}\n`))
