import { lazyRouteComponent } from "@tanstack/react-router"

/** Waits until the browser is online. */
const online = async () => {
  if (navigator.onLine) return
  await new Promise((resolve) => addEventListener("online", resolve, { once: true }))
}

/**
 * Page whose code is loaded on the first visit. Offline, it waits for the network: a module or style sheet that failed
 * once is not requested again.
 */
export const lazyPage: typeof lazyRouteComponent = (load, name) =>
  lazyRouteComponent(async () => {
    await online()
    return load()
  }, name)
