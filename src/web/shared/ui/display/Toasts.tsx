import { Toast } from "@base-ui/react/toast"
import css from "./Toasts.module.css"
import { uiTexts } from "../uiTexts.ts"

interface ToastAction {
  readonly name: string
  readonly run: () => void
}

const manager = Toast.createToastManager<{ readonly more?: ToastAction | undefined }>()

/** Shows a short confirmation. Errors do not belong here: they stay where they occurred. */
export const toast = (title: string, action?: ToastAction, more?: ToastAction): void => {
  manager.add({
    title,
    data: { more },
    ...(action === undefined ? {} : { actionProps: { children: action.name, onClick: action.run } })
  })
}

const MoreAction = ({ name, run }: ToastAction) => (
  <button type="button" className={css["action"]} onClick={run}>
    {name}
  </button>
)

const ToastList = () => {
  const { toasts } = Toast.useToastManager<{ readonly more?: ToastAction | undefined }>()
  return toasts.map((one) => (
    <Toast.Root key={one.id} toast={one} className={css["toast"]}>
      {/* Not a heading: a toast is outside the outline of the page. */}
      <Toast.Title className={css["title"]} render={<p />} />
      <Toast.Action className={css["action"]} />
      {one.data?.more === undefined ? undefined : <MoreAction {...one.data.more} />}
      <Toast.Close className={css["action"]} aria-label={uiTexts.toast.dismiss}>
        ✕
      </Toast.Close>
    </Toast.Root>
  ))
}

/** Container of all toasts, rendered once. */
export const Toasts = () => (
  <Toast.Provider toastManager={manager}>
    <Toast.Portal>
      <Toast.Viewport className={css["viewport"]}>
        <ToastList />
      </Toast.Viewport>
    </Toast.Portal>
  </Toast.Provider>
)
