import got from 'got'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

await got(`${PET_SANDBOX_URL}/pets?limit=1`, { headers }).json()
