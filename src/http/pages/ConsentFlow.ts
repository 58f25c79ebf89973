import { Effect, type Redacted } from "effect"
import { type Membership, Merchants } from "../../domain/access/Merchants.ts"
import type { SignedIn } from "../../domain/access/Sessions.ts"
import { StoreNotFound } from "../../domain/Store.ts"
import { toErrorReply } from "../ErrorTable.ts"
import { currentResponse } from "../server/NodeResponse.ts"
import type { AuthorizationRequest } from "../oauth/Authorization.ts"
import { makeAgentConsent } from "./AgentConsent.ts"
import { makeAppConsent } from "./AppConsent.ts"
import { consentPage } from "./ConsentPage.ts"
import type { ConsentStrategy } from "./ConsentStrategy.ts"
import type { ConsentTexts } from "./consentTexts.ts"
import { makeFormToken } from "./FormToken.ts"
import { accountFooter, type Page } from "./Page.ts"
import { storePage } from "./StorePage.ts"

/** An authorization request and the signed-in merchant. */
export interface ConsentRequest {
  readonly texts: ConsentTexts
  readonly authorization: AuthorizationRequest
  readonly signedIn: SignedIn
  /** The secret of the session, to which form tokens are bound. */
  readonly secret: Redacted.Redacted
  /** Makes the URL of the same request for a store, or without a store. */
  readonly urlFor: (store?: Membership) => string
}

/** The reason why a page is shown again. */
interface Rejection {
  readonly refusal: string
  readonly status: number
}

const storeNotFound = ({ texts }: ConsentRequest): Rejection => ({
  refusal: texts.store.notMember,
  status: toErrorReply(new StoreNotFound()).status
})

/** Makes the options that every page of the flow needs. */
const commonOptions = ({ authorization, secret, signedIn, texts }: ConsentRequest, otherStores?: string) => {
  const token = makeFormToken(secret)
  return {
    texts,
    token,
    footer: accountFooter(texts, signedIn, token, otherStores),
    redirectUri: new URL(authorization.redirectUri)
  }
}

const chooseStore = (consent: ConsentRequest, stores: ReadonlyArray<Membership>, rejection?: Rejection): Page =>
  storePage({
    ...commonOptions(consent),
    ...rejection,
    clientName: consent.authorization.client.name,
    stores,
    urlFor: consent.urlFor
  })

/** Makes the consent flow: the merchant selects a store, then allows or denies the client. */
export const makeConsentFlow = Effect.gen(function* () {
  const { memberships } = yield* Merchants
  const appConsent = yield* makeAppConsent
  const agentConsent = yield* makeAgentConsent

  const strategyFor = (texts: ConsentTexts, { client, scopes }: AuthorizationRequest): ConsentStrategy => {
    switch (client.of._tag) {
      case "App":
        return appConsent(texts, { ...client.of, name: client.name, scopes })
      case "AgentClient":
        return agentConsent(texts, client, scopes)
    }
  }

  const askForStore = (
    consent: ConsentRequest,
    stores: ReadonlyArray<Membership>,
    store: Membership,
    rejection?: Rejection
  ): Effect.Effect<Page> =>
    Effect.map(strategyFor(consent.texts, consent.authorization).ask(store), (question) =>
      consentPage({
        ...commonOptions(consent, stores.length > 1 ? consent.urlFor() : undefined),
        ...rejection,
        ...question,
        client: consent.authorization.client,
        store
      })
    )

  return {
    /** Renders the next page. The store page is skipped if the merchant has one store or the request names one. */
    ask: Effect.fnUntraced(function* (consent: ConsentRequest, storeId: string | null) {
      const stores = yield* memberships(consent.signedIn.merchantId)
      const [only] = stores.length === 1 ? stores : []
      const store = storeId === null ? only : stores.find((store) => store.storeId === storeId)
      if (store !== undefined) return yield* askForStore(consent, stores, store)
      return chooseStore(consent, stores, storeId === null ? undefined : storeNotFound(consent))
    }),

    /** Stores the consent and returns its code. Fails with a page if the form is rejected. */
    agree: Effect.fnUntraced(function* (consent: ConsentRequest, form: URLSearchParams) {
      const { authorization, signedIn, texts } = consent
      const stores = yield* memberships(signedIn.merchantId)
      const store = stores.find(({ storeId }) => storeId === form.get("store_id"))
      if (store === undefined) return yield* Effect.fail(chooseStore(consent, stores, storeNotFound(consent)))
      const { challenge, client, redirectUri, resource } = authorization
      const { requestId } = yield* currentResponse
      const decision = {
        merchantId: signedIn.merchantId,
        storeId: store.storeId,
        clientId: client.clientId,
        redirectUri,
        challenge,
        resource,
        requestId
      }
      return yield* strategyFor(texts, authorization)
        .agree(decision, form)
        .pipe(
          Effect.catchTags({
            StoreNotFound: () => Effect.fail(chooseStore(consent, stores, storeNotFound(consent))),
            ConsentFormRejected: ({ reason }) =>
              Effect.flatMap(askForStore(consent, stores, store, { refusal: reason, status: 409 }), Effect.fail)
          })
        )
    })
  }
})
