/** The time from `now` to `until`, both in epoch milliseconds: `12 s`, `4 min 05 s`, `3 h 20 min`. */
export function countdown(until: number, now: number): string {
  const seconds = Math.max(0, Math.ceil((until - now) / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${pad(seconds % 60)} s`
  if (seconds < 86_400)
    return `${Math.floor(seconds / 3600)} h ${pad(Math.floor((seconds % 3600) / 60))} min`

  return `${Math.floor(seconds / 86_400)} d ${Math.floor((seconds % 86_400) / 3600)} h`
}

function pad(number: number): string {
  return String(number).padStart(2, '0')
}
