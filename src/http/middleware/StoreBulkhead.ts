import { Context, Effect, Layer } from "effect"
import { Bulkhead, WorkWeight } from "../../domain/Bulkhead.ts"
import { CurrentInstallation, StoreBulkhead } from "../api/Middleware.ts"

export const StoreBulkheadLive = Layer.effect(
  StoreBulkhead,
  Effect.map(Bulkhead, ({ withPermit }) => {
    return StoreBulkhead.of((httpEffect, { endpoint }) => {
      const weight = Context.get(endpoint.annotations, WorkWeight)
      return Effect.flatMap(CurrentInstallation, ({ storeId }) => withPermit(storeId, weight, httpEffect))
    })
  })
)
