import { Effect } from "effect"
import { useState } from "react"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { useDates } from "../../shared/data/format.ts"
import { useRpcMutation, useRpcQuery } from "../../shared/data/queries.ts"
import { Confirm } from "../../shared/ui/layout/Dialog.tsx"
import { Stack, Card, Facts } from "../../shared/ui/layout/Page.tsx"
import { toast } from "../../shared/ui/display/Toasts.tsx"
import { useStoreId, useMember } from "../../shared/data/store.ts"
import { Badge, Sentence, StatusBadge } from "../../shared/ui/display/Values.tsx"
import { Button } from "../../shared/ui/form/Button.tsx"
import { EmptyState, QueryBoundary } from "../../shared/ui/display/QueryBoundary.tsx"
import { planChoice, priceText, trialText, subscriptionStatus } from "./appStatus.ts"
import { appTexts } from "./appTexts.ts"
import { useInstallationId } from "./appQueries.ts"
import css from "./Apps.module.css"

interface ChoosePlanProps {
  readonly installationId: InstallationId
  readonly plan: AppPlan
  readonly current: Subscription | null
  readonly close: () => void
}

/** Confirms the price of a plan, then subscribes or switches to it. */
const ChoosePlanDialog = ({ close, current, installationId, plan }: ChoosePlanProps) => {
  const storeId = useStoreId()
  const isChange = planChoice(plan, current).isSwitch
  const choose = useRpcMutation({
    write: ({ billing }, _: void, idempotencyKey) =>
      Effect.gen(function* () {
        const request = { storeId, installationId, idempotencyKey, planId: plan.id }
        return isChange ? yield* billing.change(request) : yield* billing.subscribe(request)
      }),
    invalidates: [[storeId, "app", installationId]],
    onSuccess: () => {
      toast(appTexts.billing.subscribed(plan.name))
      close()
    }
  })
  return (
    <Confirm
      title={isChange ? appTexts.billing.confirmSwitch(plan.name) : appTexts.billing.confirmSubscribe(plan.name)}
      action={isChange ? appTexts.billing.switchPlan : appTexts.billing.subscribe}
      kind="strong"
      isOpen
      close={close}
      confirm={() => choose.mutate()}
      isBusy={choose.isPending}
      error={choose.error}
    >
      <Stack>
        <p>
          <Sentence text={appTexts.billing.agreement}>
            <strong>{priceText(plan)}</strong>
          </Sentence>
        </p>
        <p>
          {isChange && current !== null
            ? appTexts.billing.switchEndsSubscription(current.planName)
            : `${trialText(plan)}.`}
        </p>
      </Stack>
    </Confirm>
  )
}

interface CancelPlanProps {
  readonly installationId: InstallationId
  readonly subscription: Subscription
  readonly close: () => void
}

/** Cancels a subscription at the end of its period. */
const CancelPlanDialog = ({ close, installationId, subscription: { periodEndsAt, planName } }: CancelPlanProps) => {
  const storeId = useStoreId()
  const { day } = useDates()
  const cancel = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.billing.cancel({ storeId, installationId, idempotencyKey }),
    invalidates: [[storeId, "app", installationId]],
    onSuccess: () => {
      toast(appTexts.billing.canceled(planName))
      close()
    }
  })
  return (
    <Confirm
      title={appTexts.billing.confirmCancel(planName)}
      action={appTexts.billing.cancel}
      isOpen
      close={close}
      confirm={() => cancel.mutate()}
      isBusy={cancel.isPending}
      error={cancel.error}
    >
      <Stack>
        <p>{appTexts.billing.cancelEnds(day(periodEndsAt))}</p>
        <p>{appTexts.billing.cancelAdvice}</p>
      </Stack>
    </Confirm>
  )
}

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
