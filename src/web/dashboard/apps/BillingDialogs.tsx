import { Effect } from "effect"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { day } from "../../data/Format.ts"
import { useWrite } from "../../data/Queries.ts"
import { Confirm } from "../../ui/Dialog.tsx"
import { Stack } from "../../ui/Page.tsx"
import { toast } from "../../ui/Toasts.tsx"
import { useStoreId } from "../Store.ts"
import { planChoice, priceWords, trialWords } from "./Words.ts"

interface ChoosePlanProps {
  readonly installationId: InstallationId
  readonly plan: AppPlan
  readonly current: Subscription | null
  readonly close: () => void
}

/** Agrees to what a plan costs: a first subscription, or another one in place of what there is. */
export const ChoosePlan = ({ close, current, installationId, plan }: ChoosePlanProps) => {
  const storeId = useStoreId()
  const isChange = planChoice(plan, current).name === "Change to this"
  const choose = useWrite({
    write: ({ billing }, _: void, idempotencyKey) =>
      Effect.gen(function* () {
        const asked = { storeId, installationId, idempotencyKey, planId: plan.id }
        return isChange ? yield* billing.change(asked) : yield* billing.subscribe(asked)
      }),
    touches: [[storeId, "app", installationId]],
    done: () => {
      toast(`You are subscribed to ${plan.name}`)
      close()
    }
  })
  return (
    <Confirm
      title={`${isChange ? "Change" : "Subscribe"} to ${plan.name}?`}
      action={isChange ? "Change" : "Subscribe"}
      kind="strong"
      isOpen
      close={close}
      confirm={() => choose.mutate()}
      isBusy={choose.isPending}
      error={choose.error}
    >
      <Stack>
        <p>
          You agree to pay <strong>{priceWords(plan)}</strong>, until you cancel.
        </p>
        <p>
          {isChange && current !== null
            ? `Your subscription to ${current.planName} ends now, and what is paid of it is not set off. A trial goes on.`
            : `${trialWords(plan)}.`}
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

/** Ends a subscription with what is paid for. */
export const CancelPlan = ({ close, installationId, subscription: { periodEndsAt, planName } }: CancelPlanProps) => {
  const storeId = useStoreId()
  const cancel = useWrite({
    write: (client, _: void, idempotencyKey) => client.billing.cancel({ storeId, installationId, idempotencyKey }),
    touches: [[storeId, "app", installationId]],
    done: () => {
      toast(`Your subscription to ${planName} is cancelled`)
      close()
    }
  })
  return (
    <Confirm
      title={`Cancel ${planName}?`}
      action="Cancel subscription"
      isOpen
      close={close}
      confirm={() => cancel.mutate()}
      isBusy={cancel.isPending}
      error={cancel.error}
    >
      <Stack>
        <p>It ends on {day(periodEndsAt)}, and is not renewed. The app stays installed.</p>
        <p>A cancelled subscription does not go on again: you subscribe anew, at the price that the plan has then.</p>
      </Stack>
    </Confirm>
  )
}
