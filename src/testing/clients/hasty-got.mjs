import got from 'got'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

const retry = { calculateDelay: ({ attemptCount }) => (attemptCount > 3 ? 0 : 50) }
await got(`${PET_SANDBOX_URL}/pets?limit=1`, { headers, retry }).json()
