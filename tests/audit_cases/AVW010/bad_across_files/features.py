def features_for(capabilities):
    if capabilities.experimental["beta"]:  # expect: AVW010
        return ["beta"]
    return []
