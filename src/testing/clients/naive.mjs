// Repeats the request until it succeeds, and waits much too short.
import { setTimeout } from 'node:timers/promises'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

for (let attempt = 1; attempt <= 5; attempt += 1) {
  const response = await fetch(`${PET_SANDBOX_URL}/pets?limit=1`, { headers })
  await response.text()
  if (response.ok) break
  await setTimeout(100)
}
