export interface ToastAction {
  readonly name: string
  readonly run: () => void
}

/**
 * Shows a short confirmation. Errors do not belong here: they stay where they occurred. The code of toasts loads with
 * the first one.
 */
export const toast = (title: string, action?: ToastAction, more?: ToastAction): void =>
  void import("./ToastList.tsx").then(({ show }) => show(title, action, more))
