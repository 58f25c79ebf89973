import { Effect, type Redacted } from "effect"
import { type Membership, Merchants } from "../../domain/access/Merchants.ts"
import type { SignedIn } from "../../domain/access/Sessions.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { toErrorReply } from "../ErrorTable.ts"
import { currentResponse } from "../server/NodeResponse.ts"
import type { AuthorizationRequest } from "../oauth/Authorization.ts"
import { accountFooter } from "./AccountFooter.ts"
import { makeAgentConsent } from "./AgentConsent.ts"
import { makeAppConsent } from "./AppConsent.ts"
import { consentPage } from "./ConsentPage.ts"
import type { Consenting } from "./Consenting.ts"
import { formToken } from "./FormToken.ts"
import type { Page } from "./Page.ts"
import { storePage } from "./StorePage.ts"

/** A request for access, and the merchant who is to decide. */
export interface Deciding {
  readonly asked: AuthorizationRequest
  readonly signedIn: SignedIn
  /** What the merchant's forms are bound to. */
  readonly secret: Redacted.Redacted
  /** The address of the same request for one of their stores, or for whichever they choose. */
  readonly addressFor: (store?: Membership) => string
}

/** Why a page is shown again. */
interface Refused {
  readonly refusal: string
  readonly status: number
}

const noSuchStore = (): Refused => {
  const error = new StoreNotFound()
  return { refusal: `${error.message}, or you are no member of it`, status: toErrorReply(error).status }
}

/** What every page has on which something is decided. */
const frameOf = ({ asked, secret, signedIn }: Deciding, otherStores?: string) => {
  const token = formToken(secret)
  return { token, footer: accountFooter(signedIn, token, otherStores), leadsTo: new URL(asked.redirectUri) }
}

const chooseStore = (deciding: Deciding, stores: ReadonlyArray<Membership>, refused?: Refused): Page =>
  storePage({
    ...frameOf(deciding),
    ...refused,
    clientName: deciding.asked.client.name,
    stores,
    addressFor: deciding.addressFor
  })

/** How merchants decide: for which of their stores, and then whether they agree. */
export const makeDeciding = Effect.gen(function* () {
  const { memberships } = yield* Merchants
  const appConsent = yield* makeAppConsent
  const agentConsent = yield* makeAgentConsent

  const consentingOf = ({ client, scopes }: AuthorizationRequest): Consenting => {
    switch (client.of._tag) {
      case "App":
        return appConsent({ ...client.of, name: client.name, scopes })
      case "AgentClient":
        return agentConsent(client, scopes)
    }
  }

  const askFor = (
    deciding: Deciding,
    stores: ReadonlyArray<Membership>,
    store: Membership,
    refused?: Refused
  ): Effect.Effect<Page> =>
    Effect.map(consentingOf(deciding.asked).ask(store), (question) =>
      consentPage({
        ...frameOf(deciding, stores.length > 1 ? deciding.addressFor() : undefined),
        ...refused,
        ...question,
        client: deciding.asked.client,
        store
      })
    )

  return {
    /** The page that asks what is to be decided next: the store, unless one is named or there is only one. */
    ask: Effect.fnUntraced(function* (deciding: Deciding, named: string | null) {
      const stores = yield* memberships(deciding.signedIn.merchantId)
      const [only] = stores.length === 1 ? stores : []
      const store = named === null ? only : stores.find(({ storeId }) => storeId === named)
      if (store !== undefined) return yield* askFor(deciding, stores, store)
      return chooseStore(deciding, stores, named === null ? undefined : noSuchStore())
    }),

    /** The code for what the merchant agreed to, or a page that asks again. */
    agree: Effect.fnUntraced(function* (deciding: Deciding, form: URLSearchParams) {
      const { asked, signedIn } = deciding
      const stores = yield* memberships(signedIn.merchantId)
      const store = stores.find(({ storeId }) => storeId === form.get("store_id"))
      if (store === undefined) return yield* Effect.fail(chooseStore(deciding, stores, noSuchStore()))
      const { challenge, client, redirectUri, resource } = asked
      const { requestId } = yield* currentResponse
      const consent = {
        merchantId: signedIn.merchantId,
        storeId: store.storeId,
        clientId: client.clientId,
        redirectUri,
        challenge,
        resource,
        requestId
      }
      return yield* consentingOf(asked)
        .agree(consent, form)
        .pipe(
          Effect.catchTags({
            StoreNotFound: () => Effect.fail(chooseStore(deciding, stores, noSuchStore())),
            AskedAgain: ({ reason }) =>
              Effect.flatMap(askFor(deciding, stores, store, { refusal: reason, status: 409 }), Effect.fail)
          })
        )
    })
  }
})
