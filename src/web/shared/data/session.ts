import { useEffect, useSyncExternalStore } from "react"
import { isSignedOut } from "./errorMessages.ts"

/* Session of the open page. Calls that find it ended wait until the user signs in over the page. */

/** True while a dialog for the sign-in is mounted. */
let hasDialog = false
let isEnded = false
let renewals = 0
const waiting = new Set<(isRenewed: boolean) => void>()
const observers = new Set<() => void>()

const setEnded = (next: boolean) => {
  isEnded = next
  for (const observer of observers) observer()
}

const release = (isRenewed: boolean) => {
  setEnded(false)
  const released = [...waiting]
  waiting.clear()
  for (const resume of released) resume(isRenewed)
}

/** Resolves with true after the next sign-in over the page, with false if the user declines it. */
export const nextSignIn = (): Promise<boolean> => new Promise((resolve) => void waiting.add(resolve))

const requestSignIn = async (): Promise<boolean> => {
  if (!hasDialog) return false
  setEnded(true)
  return nextSignIn()
}

/** Runs a call. If the session has ended, the user signs in over the page and the call runs again. */
export const whileSignedIn = async <A>(call: () => Promise<A>): Promise<A> => {
  const renewalsBefore = renewals
  try {
    return await call()
  } catch (error) {
    // Another call may have led to a sign-in meanwhile.
    if (!isSignedOut(error) || (renewals === renewalsBefore && !(await requestSignIn()))) throw error
    return whileSignedIn(call)
  }
}

/** Repeats the calls that wait. */
export const renewSession = (): void => {
  renewals++
  release(true)
}

/** Fails the calls that wait. The next call asks for the sign-in again. */
export const declineSignIn = (): void => release(false)

const observe = (observer: () => void) => {
  observers.add(observer)
  return () => void observers.delete(observer)
}

/** True while calls wait for a sign-in. The component shows the dialog for it; calls do not wait without one. */
export const useEndedSession = (): boolean => {
  useEffect(() => {
    hasDialog = true
    return () => {
      hasDialog = false
      declineSignIn()
    }
  }, [])
  return useSyncExternalStore(observe, () => isEnded)
}
