/** The address that a provider sends browsers back to, as it is registered there. */
export const callbackUrl = (publicUrl: string, provider: string): string =>
  `${publicUrl}/api/userAuth/social/${provider}/callback`;
