import { useQuery } from "@tanstack/react-query"
import { EVENTS } from "../../../domain/Events.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { LOG_DAYS } from "../../../domain/webhooks/Webhook.ts"
import { useRpcMutation } from "../../shared/data/queries.ts"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, Facts, MutedText } from "../../shared/ui/layout/Page.tsx"
import { ErrorNotice, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId } from "../../shared/data/store.ts"
import { webhookQuery } from "./appQueries.ts"
import { webhookStatus } from "./appStatus.ts"
import { StatusBadge } from "../../shared/ui/display/Values.tsx"
import { appTexts } from "./appTexts.ts"

/** Webhook of an app. A member can pause its deliveries for the store. */
export const WebhookCard = ({ installationId }: { readonly installationId: InstallationId }) => {
  const storeId = useStoreId()
  const params = { storeId, installationId }
  const query = useQuery(webhookQuery(params))
  const invalidates = [[storeId, "app", installationId]]
  const pause = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.pause({ ...params, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(appTexts.webhook.pausedToast)
  })
  const resume = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.webhooks.resume({ ...params, idempotencyKey }),
    invalidates,
    onSuccess: () => toast(appTexts.webhook.resumedToast)
  })
  const error = pause.error ?? resume.error
  const isPaused = query.data !== undefined && query.data.heldSince !== null
  return (
    <Card
      title={appTexts.webhook.title}
      actions={
        query.data === undefined || query.data.host === null ? undefined : (
          <Button onClick={() => (isPaused ? resume : pause).mutate()} isBusy={pause.isPending || resume.isPending}>
            {isPaused ? " " + appTexts.webhook.resume : appTexts.webhook.pause}
          </Button>
        )
      }
    >
      {error === null ? undefined : <ErrorNotice error={error} />}
      <QueryBoundary query={query} lines={2}>
        {(webhook) => {
          const { text, tone, word } = webhookStatus(webhook)
          return (
            <>
              <Facts
                facts={[
                  [appTexts.webhook.status, <StatusBadge key="status" tone={tone} word={word} />],
                  [appTexts.webhook.endpoint, webhook.host ?? appTexts.webhook.noEndpoint],
                  [
                    appTexts.webhook.events,
                    webhook.kinds.map((kind) => EVENTS[kind].title).join(", ") || appTexts.webhook.noEvents
                  ]
                ]}
              />
              <MutedText>
                {text}
                {isPaused ? ` ${appTexts.webhook.pausedAdvice(LOG_DAYS)}` : ""}
              </MutedText>
            </>
          )
        }}
      </QueryBoundary>
    </Card>
  )
}
