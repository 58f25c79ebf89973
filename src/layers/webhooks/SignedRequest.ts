import { Option } from "effect"
import type { AppId } from "../../domain/access/Ids.ts"
import type { EventId } from "../../domain/Events.ts"
import type { OutgoingRequest } from "./Outgoing.ts"
import type { Sealing } from "./Sealing.ts"
import { signatureHeaders } from "./Signature.ts"

const USER_AGENT = "PartnerAPI-Webhooks/1"

export const WRONG_SECRET_KEY =
  "The webhook's secret is encrypted with a key that is neither SECRET_KEY nor SECRET_KEY_PREVIOUS"

/** URL of an app's webhook and its sealed secrets. */
export interface Endpoint {
  readonly appId: AppId
  readonly url: string
  readonly secret: string
  /** The replaced secret while it still signs. */
  readonly previousSecret: string | null
  /** True for a developer's app, whose webhooks go to public addresses only. */
  readonly isDeveloped: boolean
}

/** Event to send. */
export interface WebhookMessage {
  readonly eventId: EventId
  /** Unix seconds of the database's clock. */
  readonly now: number
  readonly payload: string
}

/** Builds the request of an event, signed with each live secret. Returns none if no key opens one of them. */
export const signedRequest = (
  open: Sealing["open"],
  { appId, isDeveloped, previousSecret, secret, url }: Endpoint,
  { eventId, now, payload }: WebhookMessage
): Option.Option<OutgoingRequest> =>
  Option.map(
    Option.all({
      secret: open(appId, secret),
      previousSecret: previousSecret === null ? Option.some(null) : open(appId, previousSecret)
    }),
    (secrets) => ({
      url,
      isDeveloped,
      headers: {
        "content-type": "application/json",
        "user-agent": USER_AGENT,
        ...signatureHeaders(secrets, eventId, now, payload)
      },
      body: payload
    })
  )
