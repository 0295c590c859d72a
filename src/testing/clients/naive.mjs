// Repeats the request until it succeeds, without waiting.
const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

for (let attempt = 1; attempt <= 5; attempt += 1) {
  const response = await fetch(`${PET_SANDBOX_URL}/pets?limit=1`, { headers })
  if (response.ok) break
}
