import { readFileSync } from "node:fs"

/** Resident memory of a process in MiB: now and at its peak. Linux only. */
export const memoryOf = (pid: number | undefined) => {
  const status = readFileSync(`/proc/${pid}/status`, "utf8")
  const [, now] = /^VmRSS:\s+(\d+) kB$/m.exec(status) ?? []
  const [, most] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? []
  return { now: Number(now) / 1024, most: Number(most) / 1024 }
}
