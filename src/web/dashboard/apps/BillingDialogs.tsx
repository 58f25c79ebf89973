import { Effect } from "effect"
import type { AppPlan, Subscription } from "../../../domain/billing/Billing.ts"
import type { InstallationId } from "../../../rpc/Client.ts"
import { day } from "../../data/format.ts"
import { useRpcMutation } from "../../data/queries.ts"
import { Confirm } from "../../ui/layout/Dialog.tsx"
import { Stack } from "../../ui/layout/Page.tsx"
import { toast } from "../../ui/display/Toasts.tsx"
import { useStoreId } from "../store.ts"
import { planChoice, priceText, trialText } from "./appLabels.ts"

interface ChoosePlanProps {
  readonly installationId: InstallationId
  readonly plan: AppPlan
  readonly current: Subscription | null
  readonly close: () => void
}

/** Confirms the price of a plan, then subscribes or switches to it. */
export const ChoosePlanDialog = ({ close, current, installationId, plan }: ChoosePlanProps) => {
  const storeId = useStoreId()
  const isChange = planChoice(plan, current).name === "Switch plan"
  const choose = useRpcMutation({
    write: ({ billing }, _: void, idempotencyKey) =>
      Effect.gen(function* () {
        const request = { storeId, installationId, idempotencyKey, planId: plan.id }
        return isChange ? yield* billing.change(request) : yield* billing.subscribe(request)
      }),
    invalidates: [[storeId, "app", installationId]],
    onSuccess: () => {
      toast(`Subscribed to ${plan.name}`)
      close()
    }
  })
  return (
    <Confirm
      title={`${isChange ? "Switch" : "Subscribe"} to ${plan.name}?`}
      action={isChange ? "Switch plan" : "Subscribe"}
      kind="strong"
      isOpen
      close={close}
      confirm={() => choose.mutate()}
      isBusy={choose.isPending}
      error={choose.error}
    >
      <Stack>
        <p>
          You agree to pay <strong>{priceText(plan)}</strong> until you cancel.
        </p>
        <p>
          {isChange && current !== null
            ? `Your ${current.planName} subscription ends now, and the amount that you paid for it is not credited. A running trial continues.`
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
export const CancelPlanDialog = ({
  close,
  installationId,
  subscription: { periodEndsAt, planName }
}: CancelPlanProps) => {
  const storeId = useStoreId()
  const cancel = useRpcMutation({
    write: (client, _: void, idempotencyKey) => client.billing.cancel({ storeId, installationId, idempotencyKey }),
    invalidates: [[storeId, "app", installationId]],
    onSuccess: () => {
      toast(`${planName} subscription canceled`)
      close()
    }
  })
  return (
    <Confirm
      title={`Cancel the ${planName} subscription?`}
      action="Cancel subscription"
      isOpen
      close={close}
      confirm={() => cancel.mutate()}
      isBusy={cancel.isPending}
      error={cancel.error}
    >
      <Stack>
        <p>It ends on {day(periodEndsAt)} and does not renew. The app stays installed.</p>
        <p>To use a plan again, you subscribe at the price it has then.</p>
      </Stack>
    </Confirm>
  )
}
