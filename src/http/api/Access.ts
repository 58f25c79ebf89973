import { Context } from "effect"
import { OpenApi } from "effect/http-api"
import type { AccessRule } from "../../domain/access/AccessRule.ts"

/** The scope or capability that an endpoint requires. An annotation of its definition, which `AccessCheck` reads. */
export class Access extends Context.Service<Access, AccessRule>()("http/Access") {}

/** Annotates an endpoint with its access rule, for the service and for the OpenAPI document. */
export const needs = (rule: AccessRule) =>
  Context.merge(Context.make(Access, rule), OpenApi.annotations({ override: { "x-access": rule } }))
