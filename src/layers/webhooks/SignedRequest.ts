import { Option } from "effect"
import type { AppId } from "../../domain/access/Apps.ts"
import type { EventId } from "../../domain/Events.ts"
import type { OutgoingRequest } from "./Outgoing.ts"
import type { Sealing } from "./Sealing.ts"
import { signatureHeaders } from "./Signature.ts"

const USER_AGENT = "PartnerAPI-Webhooks/1"

export const WRONG_SECRET_KEY =
  "The webhook's secret was sealed with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS"

/** Where an app's events go, and its secrets as they are kept. */
export interface Endpoint {
  readonly appId: AppId
  readonly url: string
  readonly secret: string
  /** The secret before, while it still signs. */
  readonly previousSecret: string | null
  /** Whether the app is a developer's, whose webhooks go to public addresses alone. */
  readonly isPublicOnly: boolean
}

/** What an endpoint is told: an event, and when, in Unix seconds by the database's clock. */
export interface WebhookMessage {
  readonly eventId: EventId
  readonly now: number
  readonly payload: string
}

/** The request that tells it, signed with each secret that is live; none where one of them does not open. */
export const signedRequest = (
  open: Sealing["open"],
  { appId, isPublicOnly, previousSecret, secret, url }: Endpoint,
  { eventId, now, payload }: WebhookMessage
): Option.Option<OutgoingRequest> =>
  Option.map(
    Option.all({
      secret: open(appId, secret),
      previousSecret: previousSecret === null ? Option.some(null) : open(appId, previousSecret)
    }),
    (secrets) => ({
      url,
      isPublicOnly,
      headers: {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        ...signatureHeaders(secrets, eventId, now, payload)
      },
      body: payload
    })
  )
