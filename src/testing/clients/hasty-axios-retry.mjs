import axios from 'axios'
import axiosRetry from 'axios-retry'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

const client = axios.create({ headers })
// A custom delay does not use Retry-After.
axiosRetry(client, {
  retries: 3,
  retryDelay: () => 50,
  retryCondition: ({ response }) => response?.status === 429,
})
await client.get(`${PET_SANDBOX_URL}/pets?limit=1`)
