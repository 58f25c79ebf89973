import { leastUuidOf } from "../../domain/Uuid.ts"

/** Seconds of a week. Weeks are counted from 1970. */
export const WEEK = 604_800

/** Returns the least id of a week. */
export const startOfWeek = (week: number): string => leastUuidOf(new Date(week * WEEK * 1000))
