import { Schema } from "effect"
import { Uuid } from "../Uuid.ts"

/** Account of a member or developer. */
export const MerchantId = Uuid.pipe(Schema.brand("MerchantId"))
export type MerchantId = typeof MerchantId.Type

export const AgentId = Uuid.pipe(Schema.brand("AgentId"))
export type AgentId = typeof AgentId.Type

export const AppId = Uuid.pipe(Schema.brand("AppId"))
export type AppId = typeof AppId.Type

/** App installed on one store. */
export const InstallationId = Uuid.pipe(Schema.brand("InstallationId"))
export type InstallationId = typeof InstallationId.Type
