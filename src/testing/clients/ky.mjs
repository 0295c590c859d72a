import ky from 'ky'

const { PET_SANDBOX_URL, PET_SANDBOX_KEY } = process.env
const headers = { Authorization: `Bearer ${PET_SANDBOX_KEY}` }

await ky.get(`${PET_SANDBOX_URL}/pets?limit=1`, { headers }).json()
