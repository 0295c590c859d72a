import axios from 'axios'
import axiosRetry from 'axios-retry'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }
const { exponentialDelay, isNetworkOrIdempotentRequestError } = axiosRetry

const client = axios.create({ headers })
axiosRetry(client, {
  retries: 3,
  // The default is no delay. This delay uses Retry-After when the response has it.
  retryDelay: exponentialDelay,
  retryCondition: (error) =>
    isNetworkOrIdempotentRequestError(error) || error.response?.status === 429,
})
await client.get(`${PET_SANDBOX_URL}/pets?limit=1`)
