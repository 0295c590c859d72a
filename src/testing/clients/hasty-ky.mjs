import ky from 'ky'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

// With empty afterStatusCodes, ky ignores Retry-After.
const retry = { limit: 3, statusCodes: [429], afterStatusCodes: [], delay: () => 50 }
await ky.get(`${PET_SANDBOX_URL}/pets?limit=1`, { headers, retry }).json()
