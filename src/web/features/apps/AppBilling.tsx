import { useDates } from "../../shared/data/format.ts"
import { useState } from "react"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import { useRpcQuery } from "../../shared/data/queries.ts"
import { Badge, StatusBadge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { Card, Facts, Stack } from "../../shared/ui/layout/Page.tsx"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { useMember, useStoreId } from "../../shared/data/store.ts"
import { useInstallationId } from "./appQueries.ts"
import css from "./Apps.module.css"
import { CancelPlanDialog, ChoosePlanDialog } from "./BillingDialogs.tsx"
import { planChoice, priceText, subscriptionStatus, trialText } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"

const SubscriptionCard = ({
  cancel,
  subscription
}: {
  readonly cancel: () => void
  readonly subscription: Subscription
}) => {
  const dates = useDates()
  return (
    <Card
      title={appTexts.billing.subscription}
      actions={
        subscription.state === "cancelled" ? undefined : <Button onClick={cancel}>{appTexts.billing.cancel}</Button>
      }
    >
      <Facts
        facts={[
          [appTexts.billing.plan, subscription.planName],
          [appTexts.billing.price, priceText(subscription)],
          [appTexts.billing.started, dates.day(subscription.startedAt)],
          [appTexts.billing.status, <StatusBadge key="status" {...subscriptionStatus(subscription, dates)} />]
        ]}
      />
    </Card>
  )
}

const OwnersBilling = () => {
  const storeId = useStoreId()
  const installationId = useInstallationId()
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
          <Card title={appTexts.billing.availablePlans}>
            <QueryBoundary query={plans} lines={3}>
              {(offered) =>
                offered.length === 0 ? (
                  <EmptyState title={appTexts.billing.noPlans}>
                    <p>{appTexts.billing.noPlansAdvice}</p>
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
                            <Badge tone="accent">{appTexts.billing.currentPlan}</Badge>
                          ) : (
                            <Button
                              aria-label={appTexts.billing.choosePlan(name, plan.name)}
                              onClick={() => setChosen(plan)}
                            >
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
export const AppBilling = () =>
  useMember().isOwner ? (
    <OwnersBilling />
  ) : (
    <Card>
      <EmptyState title={appTexts.billing.ownersOnly}>
        <p>{appTexts.billing.ownersOnlyAdvice}</p>
      </EmptyState>
    </Card>
  )
