import { useState } from "react"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { day } from "../../data/Format.ts"
import { useRpcQuery } from "../../data/queries.ts"
import { Badge } from "../../ui/Badge.tsx"
import { Button } from "../../ui/Button.tsx"
import { Card, Facts, Stack } from "../../ui/Page.tsx"
import { QueryBoundary, EmptyState } from "../../ui/QueryBoundary.tsx"
import { useMember, useStoreId } from "../Store.ts"
import css from "./Apps.module.css"
import { CancelPlan, ChoosePlan } from "./BillingDialogs.tsx"
import { Stands } from "./Stands.tsx"
import { planChoice, priceWords, subscriptionStanding, trialWords } from "./Words.ts"

interface OfApp {
  readonly installationId: InstallationId
}

const Agreed = ({ cancel, subscription }: { readonly cancel: () => void; readonly subscription: Subscription }) => {
  return (
    <Card
      title="Your subscription"
      actions={subscription.state === "cancelled" ? undefined : <Button onClick={cancel}>Cancel subscription</Button>}
    >
      <Facts
        facts={[
          ["Plan", subscription.planName],
          ["Price", priceWords(subscription)],
          ["Started", day(subscription.startedAt)],
          ["Status", <Stands key="status" {...subscriptionStanding(subscription)} />]
        ]}
      />
    </Card>
  )
}

const OwnersBilling = ({ installationId }: OfApp) => {
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
            <Agreed subscription={subscription} cancel={() => setCancelling(true)} />
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
                          <p className={css["price"]}>{priceWords(plan)}</p>
                          <p className={css["quiet"]}>{trialWords(plan)}</p>
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
            <ChoosePlan
              installationId={installationId}
              plan={chosen}
              current={subscription}
              close={() => setChosen(undefined)}
            />
          )}
          {isCancelling && subscription !== null ? (
            <CancelPlan
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

/** What the app costs, for owners. */
export const Billing = (app: OfApp) =>
  useMember().isOwner ? (
    <OwnersBilling {...app} />
  ) : (
    <Card>
      <EmptyState title="Owners only">
        <p>Only store owners can manage app subscriptions. Ask an owner to do this, or to make you an owner.</p>
      </EmptyState>
    </Card>
  )
