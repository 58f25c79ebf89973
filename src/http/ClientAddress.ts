import type { HttpServerRequest } from "@effect/platform"
import { Option } from "effect"

/** Where a request comes from, as the socket tells it: behind a proxy that is the proxy's. */
export const addressOf = ({ remoteAddress }: HttpServerRequest.HttpServerRequest) =>
  Option.getOrElse(remoteAddress, () => "unknown")
