import { useState } from "react"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { day } from "../../data/format.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { Badge, StatusBadge } from "../../ui/display/Badge.tsx"
import { Button } from "../../ui/form/Button.tsx"
import { Card, Facts, Stack } from "../../ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../ui/display/QueryBoundary.tsx"
import { useMember, useStoreId } from "../store.ts"
import css from "./Apps.module.css"
import { CancelPlanDialog, ChoosePlanDialog } from "./BillingDialogs.tsx"
import { planChoice, priceText, subscriptionStatus, trialText } from "./appLabels.ts"

interface AppProps {
  readonly installationId: InstallationId
}

const SubscriptionCard = ({
  cancel,
  subscription
}: {
  readonly cancel: () => void
  readonly subscription: Subscription
}) => {
  return (
    <Card
      title="Your subscription"
      actions={subscription.state === "cancelled" ? undefined : <Button onClick={cancel}>Cancel subscription</Button>}
    >
      <Facts
        facts={[
          ["Plan", subscription.planName],
          ["Price", priceText(subscription)],
          ["Started", day(subscription.startedAt)],
          ["Status", <StatusBadge key="status" {...subscriptionStatus(subscription)} />]
        ]}
      />
    </Card>
  )
}

const OwnersBilling = ({ installationId }: AppProps) => {
  const storeId = useStoreId()
  const [chosen, setChosen] = useState<AppPlan>()
  const [isCancelling, setCancelling] = useState(false)
  const plans = useRpcQuery([storeId, "app", installationId, "plans"], (client) =>
    client.billing.plans({ storeId, installationId })
  )
  const current = useRpcQuery([storeId, "app", installationId, "subscription"], (client) =>
    client.billing.current({ storeId, installationId })
  )
  return (
    <QueryBoundary query={current}>
      {(subscription) => (
        <Stack>
          {subscription === null ? undefined : (
            <SubscriptionCard subscription={subscription} cancel={() => setCancelling(true)} />
          )}
          <Card title="Available plans">
            <QueryBoundary query={plans} lines={3}>
              {(offered) =>
                offered.length === 0 ? (
                  <EmptyState title="No paid plans">
                    <p>Plans that the developer of this app offers appear here.</p>
                  </EmptyState>
                ) : (
                  <ul className={css["plans"]}>
                    {offered.map((plan) => {
                      const { isCurrent, name } = planChoice(plan, subscription)
                      return (
                        <li key={plan.id} className={css["plan"]}>
                          <h3>{plan.name}</h3>
                          <p className={css["price"]}>{priceText(plan)}</p>
                          <p className={css["quiet"]}>{trialText(plan)}</p>
                          {isCurrent ? (
                            <Badge tone="accent">Current plan</Badge>
                          ) : (
                            <Button aria-label={`${name}: ${plan.name}`} onClick={() => setChosen(plan)}>
                              {name}
                            </Button>
                          )}
                        </li>
                      )
                    })}
                  </ul>
                )
              }
            </QueryBoundary>
          </Card>
          {chosen === undefined ? undefined : (
            <ChoosePlanDialog
              installationId={installationId}
              plan={chosen}
              current={subscription}
              close={() => setChosen(undefined)}
            />
          )}
          {isCancelling && subscription !== null ? (
            <CancelPlanDialog
              installationId={installationId}
              subscription={subscription}
              close={() => setCancelling(false)}
            />
          ) : undefined}
        </Stack>
      )}
    </QueryBoundary>
  )
}

/** Plans and subscription of an app. Only owners can see them. */
export const AppBilling = (app: AppProps) =>
  useMember().isOwner ? (
    <OwnersBilling {...app} />
  ) : (
    <Card>
      <EmptyState title="Owners only">
        <p>Only store owners can manage app subscriptions. Ask an owner to do this, or to make you an owner.</p>
      </EmptyState>
    </Card>
  )
