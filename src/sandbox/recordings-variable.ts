/**
 * The environment variable by which `pet-sandbox exec` passes the folder of recordings to the processes of its command. Each
 * sandbox writes one file there.
 */
export const RECORDINGS_VARIABLE = 'PET_SANDBOX_RECORDINGS'
